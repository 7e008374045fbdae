package flow

import _ "go.temporal.io/sdk/workflow" // the next commit uses it
