/**
 * A deterministic simulation of the relay's core: everything but sockets, threads and the clock is real.
 *
 * <pre>
 *   Simulation --one step: a loop's cycle, a client's act, or time passes--> World (random numbers, clock, trace)
 *
 *   clients (Peer)  <--bytes-->  SimChannel  <--Netty's own channel code-->  RelayEngine on SimLoops
 *        |                                                                      |
 *        '-- each byte is compared with --> StreamModel <--reads the log's new end, frame by frame
 * </pre>
 *
 * One thread does it all, so a seed repeats a run exactly.
 */
package dev.msgrelay.simulation;
