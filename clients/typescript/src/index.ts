/**
 * Client of the Relay message relay: a {@link Subscriber} and a {@link Publisher}.
 *
 * @module
 */
export { BrokenRule, ConnectionFailed, type ErrorKind, NotDone, RelayError, UsageError } from "./errors.js";
export {
    type Certificate,
    type Connected,
    type Event,
    type Gap,
    GapReason,
    type GaveUp,
    type GoingAway,
    type InDoubt,
    type Item,
    type Lost,
    Message,
    type Missed,
    type Notice,
    type RolledBack,
    type StateBegins,
    type StateComplete,
    type StateLate,
    type StreamChanged,
} from "./events.js";
export type {
    ConnectionOptions,
    Level,
    Policy,
    PublisherOptions,
    Range,
    Reconnect,
    Start,
    SubscriberOptions,
    Tls,
} from "./options.js";
export { Publisher } from "./publisher.js";
export { Subscriber } from "./subscriber.js";
