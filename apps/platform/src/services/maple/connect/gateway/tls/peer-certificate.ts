import type { X509Certificate } from 'node:crypto'
import { TLSSocket } from 'node:tls'

/** The certificate that a client of our port of TLS showed, whose key it has; nobody has checked it. */
export const peerCertificate = (socket: unknown): X509Certificate | undefined =>
  socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined
