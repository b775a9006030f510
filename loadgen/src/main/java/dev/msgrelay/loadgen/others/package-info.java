/**
 * Other people's programs that do what a part of a relay does. They come with clients of their own and measure themselves;
 * here they are cells, measured in turn with ours, on the same disk.
 *
 * <pre>
 *  SelfMeasured   starts it, lets it measure itself, makes a result of what it says     (controller's thread)
 *   +- JetStream    nats-server with a stream in files; nats bench publishes, all acknowledged
 *   +- Fio          writes blocks to a file, as a journal does
 * </pre>
 */
package dev.msgrelay.loadgen.others;
