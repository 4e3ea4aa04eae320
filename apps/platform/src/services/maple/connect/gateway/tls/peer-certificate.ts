import type { X509Certificate } from 'node:crypto'
import { TLSSocket } from 'node:tls'

/** A TLS client's certificate, whose key it has; its issuer is unverified. */
export const peerCertificate = (socket: unknown): X509Certificate | undefined =>
  socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined
