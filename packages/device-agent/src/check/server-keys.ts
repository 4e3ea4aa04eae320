import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'

/** The TLS certificate and key of a check's server, in PEM. */
export interface ServerKeys {
  cert: Buffer
  key: Buffer
}

/** Any device certificate will do: only the platform knows its authority. */
export const secureOptions = (keys: ServerKeys) => ({
  ...keys,
  requestCert: true,
  rejectUnauthorized: false,
})

export const showsCertificate = (socket: Duplex): boolean =>
  socket instanceof TLSSocket && socket.getPeerX509Certificate() !== undefined
