/**
 * Values as people write them on a command line or in a file: one parser each, for every program, whose errors name the
 * value and what is accepted; and numbers as people read them. Static methods without state.
 */
package dev.msgrelay.protocol.text;
