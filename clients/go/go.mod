module msgrelay.dev/relay

go 1.23
