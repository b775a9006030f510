package dev.msgrelay.trials;

import dev.msgrelay.protocol.GapReason;
import dev.msgrelay.protocol.text.ShortText;
import dev.msgrelay.trials.Account.Count;
import java.util.HashMap;
import java.util.Map;

/**
 * Holds a viewer's notebook against the stream of an {@link Account}. At each PING its view is, type by type, the
 * newest message of the stream up to there. What came is in order, and what did not come was told as superseded.
 *
 * <p>A life of the relay may have had messages that are gone with it. So what came in a life is compared as far as that
 * life's stream is still the one of the account.
 */
final class ViewAccount implements Notebook.Reader {
    private final Account account;
    private final Client client;
    // By type, publisher and number of the newest message: what the viewer has, and what the stream has.
    private final Map<Integer, Long> view = new HashMap<>();
    private final Map<Integer, Long> newest = new HashMap<>();
    private long newestUpTo;
    private long epoch;
    // Of the next message; 0: the viewer has had no connection.
    private long next;
    private long had;
    private long superseded;
    private long compared;
    // The next message at the last PING.
    private long pinged;

    ViewAccount(Account account, Client client) {
        this.account = account;
        this.client = client;
    }

    @Override
    public void entry(Notebook.Kind kind, long a, long b, long c) {
        switch (kind) {
            case ANEW -> {
                view.clear();
                next = a;
                epoch = c;
            }
            case EPOCH -> epoch = c;
            case MESSAGE -> {
                expect(a);
                if (a <= account.lastOf(epoch) && account.at(a) != NumberedBody.packed(b, c)) {
                    wrong("had message " + a + ", which " + account.where() + " has not under this number");
                }
                had++;
                next = a + 1;
            }
            case WRONG -> {
                wrong("message " + a + " came with bytes that nobody sent");
                next = a + 1;
            }
            case GAP -> {
                expect(a);
                if (c == GapReason.SUPERSEDED.code()) {
                    superseded += b - a + 1;
                } else {
                    account.add(client.level(), Count.GAPS, b - a + 1);
                    find("was told that messages " + a + " to " + b + " do not come, for reason " + c);
                }
                next = b + 1;
            }
            case VIEWED -> view.put((int) a, NumberedBody.packed(b, c));
            case PING -> compare(a, b, c);
            case CHANGED -> find("was told at message " + next + " that the stream is another one");
            default -> throw new IllegalStateException("no entry of a viewer: " + kind);
        }
    }

    private void expect(long sequence) {
        if (sequence != next) {
            account.add(client.level(), Count.DISORDERED, 1);
            find("message " + sequence + " came where " + next + " was to come");
        }
    }

    private void compare(long to, long types, long of) {
        pinged = to;
        if (to - 1 > account.lastOf(of)) {
            return;
        }
        compared++;
        moveTo(to - 1);
        if (types != view.size()) {
            wrong("has " + types + " types up to message " + (to - 1) + ", and was given " + view.size());
        }
        if (!view.equals(newest)) {
            wrong("up to message " + (to - 1) + " " + difference());
        }
    }

    private String difference() {
        for (Map.Entry<Integer, Long> one : newest.entrySet()) {
            Long its = view.get(one.getKey());
            if (!one.getValue().equals(its)) {
                return "the newest of type " + one.getKey() + " is " + NumberedBody.text(one.getValue())
                        + ", and its view has " + (its == null ? "none" : NumberedBody.text(its));
            }
        }
        return "its view has " + ShortText.counted(view.size(), "type") + ", and " + account.where() + " "
                + newest.size();
    }

    private void moveTo(long sequence) {
        if (sequence < newestUpTo) {
            newest.clear();
            newestUpTo = 0;
        }
        while (newestUpTo < sequence) {
            long there = account.at(++newestUpTo);
            if (there != 0) {
                newest.put(NumberedBody.typeOf(there), there);
            }
        }
    }

    /** The notebook is at its end. */
    void settle(long lastEpoch, long lastAcknowledged) {
        account.add(client.level(), Count.HAD, had);
        account.add(client.level(), Count.SUPERSEDED, superseded);
        account.add(client.level(), Count.STATES, compared);
        if (epoch != lastEpoch) {
            find("has not come back to the relay's last life");
        }
        if (compared == 0) {
            find("no state of it could be compared");
        }
        if (pinged <= lastAcknowledged) {
            find("its last PING is at message " + pinged + "; the last acknowledged one is " + lastAcknowledged);
        }
    }

    private void wrong(String what) {
        account.add(client.level(), Count.WRONG, 1);
        find(what);
    }

    private void find(String what) {
        account.find(client.name() + ": " + what);
    }
}
