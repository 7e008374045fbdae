# warp with git and bubblewrap, without root. Your coding agent is not inside: add it in
# an image of your own (FROM warp), or mount it.
#
#   docker build -t warp --build-arg VERSION="$(git describe --tags --always)" .
#   docker run --rm -it --user "$(id -u):$(id -g)" -v "$PWD:/project" warp status
#
# bubblewrap needs user namespaces, which Docker's default profile forbids: allow them
# with --security-opt seccomp=unconfined --security-opt apparmor=unconfined, or drive with
# --sandbox off, where the container is what confines the agent.

FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
COPY scripts/modules scripts/
RUN scripts/modules
COPY . .
ARG VERSION=dev
RUN make install PREFIX=/warp VERSION="$VERSION"

FROM debian:bookworm-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends bubblewrap ca-certificates git \
 && rm -rf /var/lib/apt/lists/* \
 && useradd --create-home --uid 1000 warp \
 && git config --system --add safe.directory /project
COPY --from=build /warp /usr/local
COPY LICENSE /usr/local/share/doc/warp/
USER warp
WORKDIR /project
ENTRYPOINT ["warp"]
CMD ["help"]
