/**
 * A second host: there an agent waits, and starts the load generator's processes for one controller at a time.
 *
 * <pre>{@code
 *  the agent's host                                the controller's host
 *  Agent          listens; who may come in         AgentConnection   one TCP connection, a reader, a heartbeat
 *   AgentGreeter  proves and lets prove    <-----  ControllerGreeter
 *   AgentSession  one controller's commands        AgentSite, RemoteProcess   what a run sees
 *    Programs     what may be started              ClockOffset       whose clock is ahead, and how sure that is
 *    AgentProcess, OutputBudget                    RemoteLane        this link, for a shootout
 * }</pre>
 *
 * Both sides: {@link dev.msgrelay.loadgen.agent.LineChannel} (bounded lines of JSON), {@link
 * dev.msgrelay.loadgen.agent.Messages} (the words), {@link dev.msgrelay.loadgen.agent.Proof} (who knows the token).
 * docs/agent.md has the protocol and says against whom it guards. Nothing here is on the way of a message.
 */
package dev.msgrelay.loadgen.agent;
