/**
 * Smart batching: messages of many threads to one device.
 *
 * <pre>
 *  the tables        Burst (worked example), Load (threads and load over sockets)
 *  who sends         Producers, each thread with a Frame of its own
 *  the ways          Sender: serial, Queued; DisruptorSender (NetworkBatchHandler); RelaySender
 *  what they write   Sender.NetworkFacade: SlowDevice (100 us a packet), a socket
 * </pre>
 */
package dev.msgrelay.lab.batching;
