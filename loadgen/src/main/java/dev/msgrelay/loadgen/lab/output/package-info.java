/** What the lab found, for people and for programs. */
package dev.msgrelay.loadgen.lab.output;
