/**
 * The article on file sending algorithms: {@code SimpleBlocking}, {@code EqualNonBlocking} and {@code EqualBlocking}, each a
 * few lines, are what the workers of a {@code WorkerServer} do with a {@code Download}; {@code EventLoopServer} is the other
 * kind. {@code SendersGo} lets a {@code ClientGroup} download from one of them.
 */
package dev.msgrelay.loadgen.lab.senders;
