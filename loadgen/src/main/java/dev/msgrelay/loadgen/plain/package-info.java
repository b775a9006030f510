/**
 * What a relay is held against: processes that do as little as can be done.
 *
 * <pre>
 *  PrepackedMain   prepared frames ------------------------------&gt; one subscriber        (the first ceiling)
 *  PlainRelayMain  publisher -&gt; read a buffer, write it on ------&gt; subscribers in turn   (the second ceiling)
 *  SslHandlerRelayMain  publisher -&gt; Netty's SslHandler -&gt; each subscriber's SslHandler, one thread
 *  relay.c         publishers -&gt; read, cut at a frame, write on -&gt; subscribers in turn   (the reference, in C)
 *  client.c        prepared frames -&gt; whatever lies between -----&gt; counts bytes          (clients that cost next to nothing)
 * </pre>
 *
 * {@link dev.msgrelay.loadgen.plain.CPrograms} compiles the two programs in C where there is a compiler.
 * Each of the others is a process with one thread that does its work.
 */
package dev.msgrelay.loadgen.plain;
