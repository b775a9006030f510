/**
 * What a relay is held against: processes that do as little as can be done.
 *
 * <pre>
 *  PrepackedMain   prepared frames ------------------------------&gt; one subscriber        (the first ceiling)
 *  PlainRelayMain  publisher -&gt; read a buffer, write it on ------&gt; subscribers in turn   (the second ceiling)
 * </pre>
 *
 * Each is a process with one thread that does its work.
 */
package dev.msgrelay.loadgen.plain;
