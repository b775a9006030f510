/** A shootout as a page for people: what is on it, and in which order. How a page looks is not known here. */
package dev.msgrelay.loadgen.result.view;
