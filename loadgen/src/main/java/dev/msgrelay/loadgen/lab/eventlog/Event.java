package dev.msgrelay.loadgen.lab.eventlog;

import java.time.ZonedDateTime;
import java.util.UUID;

/** One event, as in the article. */
record Event(UUID id, ZonedDateTime created, String message) {}
