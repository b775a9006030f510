package dev.msgrelay.loadgen.lab;

/** A point of a plot. */
public record Point(double x, double y) {}
