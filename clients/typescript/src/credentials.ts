/** What a connection proves itself with, and trusts. Files are read anew for each connection. */
import { X509Certificate } from "node:crypto";
import * as fs from "node:fs";
import { createSecureContext, type SecureContext } from "node:tls";

import { ConnectionFailed, NOT_AUTHENTICATED, STOP, UsageError } from "./errors.js";
import { checkToken, type ConnectionSettings, messageOf, type Tls } from "./options.js";

/** A token file is read no further. */
const LONGEST_TOKEN_FILE = 512;

export interface Credentials {
    readonly token: string | undefined;
    readonly context: SecureContext | undefined;
    /** The end of the client's own certificate, in ms since 1970; undefined: none that can be read. */
    readonly certificateEnds: number | undefined;
}

type Sources = Pick<ConnectionSettings, "token" | "tokenFile" | "tls">;

/** @throws Error a file cannot be read, or has not what it should have */
export function secureContext({ ca, certificate, key }: Tls): SecureContext {
    try {
        const trusted = ca === undefined ? undefined : fs.readFileSync(ca);
        if (trusted !== undefined) {
            // A context takes a file without any certificate, and then trusts nobody.
            new X509Certificate(trusted);
        }
        return createSecureContext({
            minVersion: "TLSv1.3",
            ca: trusted,
            cert: certificate === undefined ? undefined : fs.readFileSync(certificate),
            key: key === undefined ? undefined : fs.readFileSync(key),
        });
    } catch (e) {
        const files = [ca, certificate, key].filter((file) => file !== undefined).join(", ");
        throw new Error(`TLS files ${files}: ${messageOf(e)}`, { cause: e });
    }
}

/** The end of the first certificate in the file, which is the client's own. */
function endOf({ certificate }: Tls): number | undefined {
    const ends =
        certificate === undefined ? NaN : Date.parse(new X509Certificate(fs.readFileSync(certificate)).validTo);
    return Number.isNaN(ends) ? undefined : ends;
}

/** @throws Error the file cannot be read, or has no token */
export function tokenIn(path: string): string {
    const file = fs.openSync(path, "r");
    try {
        const start = Buffer.alloc(LONGEST_TOKEN_FILE);
        const line = start.toString("utf8", 0, fs.readSync(file, start)).replace(/[\r\n]+$/, "");
        checkToken(line);
        return line;
    } catch (e) {
        throw new Error(`token in ${path}: ${messageOf(e)}`, { cause: e });
    } finally {
        fs.closeSync(file);
    }
}

/**
 * Reads what the next connection needs.
 *
 * @throws {@link ConnectionFailed} something cannot be had now
 * @throws {@link UsageError} the function for the token has failed at the first connection
 */
export async function credentials(settings: Sources, isFirst: boolean): Promise<Credentials> {
    let { token } = settings;
    if (typeof token === "function") {
        try {
            token = await token();
            checkToken(token);
        } catch (e) {
            const text = `the function for the token: ${messageOf(e)}`;
            throw isFirst ? new UsageError(text) : new ConnectionFailed(text, undefined, 0, { cause: e });
        }
    }
    try {
        return {
            token: settings.tokenFile === undefined ? token : tokenIn(settings.tokenFile),
            context: settings.tls && secureContext(settings.tls),
            certificateEnds: settings.tls && endOf(settings.tls),
        };
    } catch (e) {
        throw new ConnectionFailed(messageOf(e), undefined, 0, { cause: e });
    }
}

/** The end of a connection, which is no last one if the relay did not know credentials that are read anew. */
export function renewed(why: unknown, { token, tokenFile, tls }: Sources): unknown {
    const isRead = typeof token === "function" || tokenFile !== undefined || tls?.certificate !== undefined;
    if (isRead && why instanceof ConnectionFailed && why.advice === STOP && why.code === NOT_AUTHENTICATED) {
        return new ConnectionFailed(why.message, undefined, why.code, { cause: why });
    }
    return why;
}
