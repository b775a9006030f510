package dev.msgrelay.server.connection;

/**
 * How far the input of a connection has come, as its role sees it.
 *
 * @param framesRead whole frames that came so far
 * @param bytesRead bytes that came so far
 * @param unfinished the part of a frame that is there, for people; empty: none
 * @param unfinishedControl whether this is a part of a control frame
 * @param listening whether the client can be heard at present: the relay hears nothing of a client that it does not read
 * @param holdsUpOthers whether the connection holds memory that others wait for in line
 */
public record Progress(
        long framesRead,
        long bytesRead,
        String unfinished,
        boolean unfinishedControl,
        boolean listening,
        boolean holdsUpOthers) {}
