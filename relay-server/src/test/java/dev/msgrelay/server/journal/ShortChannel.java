package dev.msgrelay.server.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;

/** A file's channel that reads and writes a third of what it could. */
class ShortChannel extends FileChannel {
    private final FileChannel real;

    ShortChannel(FileChannel real) {
        this.real = real;
    }

    private static int third(ByteBuffer of) {
        return Math.max(1, of.remaining() / 3);
    }

    @Override
    public int read(ByteBuffer into, long position) throws IOException {
        ByteBuffer part = into.slice(into.position(), Math.min(into.remaining(), third(into)));
        int length = real.read(part, position);
        into.position(into.position() + Math.max(0, length));
        return length;
    }

    @Override
    public int write(ByteBuffer from, long position) throws IOException {
        ByteBuffer part = from.slice(from.position(), Math.min(from.remaining(), third(from)));
        int length = real.write(part, position);
        from.position(from.position() + length);
        return length;
    }

    @Override
    public long size() throws IOException {
        return real.size();
    }

    @Override
    public FileChannel truncate(long size) throws IOException {
        real.truncate(size);
        return this;
    }

    @Override
    public void force(boolean metaData) throws IOException {
        real.force(metaData);
    }

    @Override
    protected void implCloseChannel() throws IOException {
        real.close();
    }

    // ---- what a journal does not do ------------------------------------------------------------------------------

    @Override
    public int read(ByteBuffer into) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long read(ByteBuffer[] into, int offset, int length) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int write(ByteBuffer from) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long write(ByteBuffer[] from, int offset, int length) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long position() {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileChannel position(long newPosition) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long transferTo(long position, long count, WritableByteChannel target) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long transferFrom(ReadableByteChannel source, long position, long count) {
        throw new UnsupportedOperationException();
    }

    @Override
    public MappedByteBuffer map(MapMode mode, long position, long size) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileLock lock(long position, long size, boolean shared) {
        throw new UnsupportedOperationException();
    }

    @Override
    public FileLock tryLock(long position, long size, boolean shared) throws IOException {
        return real.tryLock(position, size, shared);
    }
}
