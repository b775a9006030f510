module msgrelay.dev/relay/bench

go 1.23

require msgrelay.dev/relay v0.1.0

replace msgrelay.dev/relay => ../go
