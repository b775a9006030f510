/**
 * The article on sequential file IO: four ways to write and read a file, each a short {@code SequentialFile}; {@code
 * FileLoop} times one of them, {@code FileCheck} compares the file with its {@code Content}.
 */
package dev.msgrelay.loadgen.lab.files;
