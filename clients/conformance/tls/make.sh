#!/bin/sh
# Makes the keys and certificates of the TLS cases: for tests alone, their keys are public. Needs openssl.
set -eu
cd "$(dirname "$0")"
key() { openssl genpkey -quiet -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1.key"; }
authority() {
    key "$1"
    openssl req -x509 -new -key "$1.key" -subj "/CN=Relay conformance $1" -days 36500 -out "$1.pem" \
        -addext basicConstraints=critical,CA:TRUE -addext keyUsage=critical,keyCertSign,cRLSign
}
# certificate NAME CA SAN [OPTION...]
certificate() {
    name=$1 ca=$2 san=$3
    shift 3
    key "$name"
    printf 'subjectAltName=%s\nbasicConstraints=CA:FALSE\nkeyUsage=digitalSignature\nextendedKeyUsage=serverAuth,clientAuth\n' \
        "$san" >extensions
    openssl req -new -key "$name.key" -subj "/CN=$name" |
        openssl x509 -req -CA "$ca.pem" -CAkey "$ca.key" -CAcreateserial -extfile extensions -out "$name.pem" "$@"
}
authority ca
authority other-ca
certificate server ca DNS:localhost,IP:127.0.0.1 -days 36500
certificate other-name ca DNS:relay.example -days 36500
certificate expired ca DNS:localhost,IP:127.0.0.1 -days 0
certificate client ca DNS:client -days 36500
certificate other-client other-ca DNS:client -days 36500
rm -f extensions ./*.srl ca.key other-ca.key
