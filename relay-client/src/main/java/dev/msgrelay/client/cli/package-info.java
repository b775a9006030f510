/**
 * The command {@code relay-client}: {@code subscribe}, {@code publish}, {@code ping}, {@code info} and {@code top}. The
 * one package of the client that needs picocli.
 *
 * <pre>
 *  RelayClientMain   exit codes, one line for each failure
 *    SubscribeCommand  main thread: RelaySubscriber.poll -> MessageMeter -> OutputOptions' printer -> stdout
 *                      before it: Places -> StreamQuery, a connection that asks where to start and end
 *                      --exec: MessageCommand, in the printer's place
 *                      the end: MessageMeter (--count), ReadUntil, IdleEnd
 *    PublishCommand    main thread: PublishInput (BodyReader, JsonBodies) -> RelayPublisher.publish
 *                      at the end, or on Ctrl-C: PublishEnd, waits for the relay, and the sum
 *                      the publisher's own thread: SessionEvent -> EventPrinter -> stderr
 *                                                               -> Resumption -> PublisherState (a file for each name)
 *    InfoCommand       main thread: Probe, one connection to each endpoint
 *    TopCommand        main thread: keys, TopScreen -> terminal
 *                      a thread of its own: AdminEvents <- HTTP <- the relay's admin port
 *  OnShutdown        the JVM's shutdown thread: closes the connection, and gives the main thread time for its summary
 * </pre>
 *
 * <p><b>Internal:</b> changes without notice.
 */
package dev.msgrelay.client.cli;
