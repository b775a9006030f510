/**
 * Kills relays, publishers and subscribers under load, and accounts for every message that was acknowledged.
 *
 * <pre>
 *  Campaign   when who is killed, from a seed; PowerCut and FullDisk on a LoopDisk, DiskFault: faults of the disk
 *     |
 *    Rig      one relay with a journal, publishers and subscribers of each level; kills, starts again, ends
 *     |            |                                   |
 *     |       PublisherMain  numbered bodies      SubscriberMain         (processes of their own)
 *     |            |                                   |
 *     |        Notebook: what was acknowledged     Notebook: what came, what was told
 *     |            |                                   |
 *     |            '------------------+----------------'
 *     v                               v
 *  journal's files ------------&gt; Account: lost, doubled, out of order, wrong bytes, of each level
 * </pre>
 *
 * Of a cluster the same, with other things that go wrong and another place where the stream is:
 *
 * <pre>
 *  ClusterCampaign   what goes wrong when, from a seed; Silence: for how long nothing was acknowledged then
 *     |
 *  ClusterRig        three nodes on a NodeNetwork, each on a LoopDisk; ClientProcesses, as above
 *     |                                   |
 *     | a reader at each node             |
 *     v                                   v
 *  Notebook: its stream -----------&gt; Account: the same, once for each node
 * </pre>
 *
 * A notebook outlives the process that writes it, so nobody has to be asked afterwards. The account reads the journal's
 * files itself, when no relay runs.
 */
package dev.msgrelay.loadgen.kill;
