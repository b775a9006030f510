/**
 * The files of a shootout: JSON with everything, CSV with a row per run, histogram log, HTML. docs/results.md says what
 * is in them. All are written whole, beside the old one, and then take its place.
 */
package dev.msgrelay.loadgen.result.files;
