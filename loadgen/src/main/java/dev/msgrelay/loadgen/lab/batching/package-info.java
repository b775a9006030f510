/**
 * Smart batching: messages of many threads to one device.
 *
 * <pre>
 *  the ways          SerialSender, QueueSender (NetworkBatcher), DisruptorSender (NetworkBatchHandler), RelaySender
 *  what they write   NetworkFacade: SlowDevice (100 us a packet), SocketNetwork
 *  the tables        BurstContestant (worked example), LoadContestant (threads and load over sockets),
 *                    ExchangeContestant (what the queue itself costs)
 * </pre>
 */
package dev.msgrelay.loadgen.lab.batching;
