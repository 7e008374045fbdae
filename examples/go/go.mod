module wordcount

go 1.22
