/**
 * Kills relays, nodes of a cluster and clients under load, and accounts for every message that was acknowledged.
 *
 * <pre>
 *  TrialsTest    the campaigns, and the properties that they take; Report: what came of one
 *     |
 *  Campaign      what goes wrong when, from a seed (Incident); DiskFault: faults that strace has the disk give
 *     |
 *    Rig         one relay with a journal, or three Nodes on a NodeNetwork; LoopDisk: a disk that fills and freezes
 *     |            |                                   |
 *     |       PublisherMain  numbered bodies      SubscriberMain         (ClientProcesses)
 *     |            |                                   |
 *     |        Notebook: what was acknowledged     Notebook: what came, what was told
 *     |            |                                   |
 *     |            '------------------+----------------'
 *     v                               v
 *  journal's files, or what a ---&gt; Account: lost, doubled, out of order, wrong bytes, of each level
 *  node gives to a reader             and node; ViewAccount: the state at each PING
 * </pre>
 *
 * A notebook outlives the process that writes it, so nobody has to be asked afterwards. The account reads the journal's
 * files itself, when no relay runs.
 */
package dev.msgrelay.trials;
