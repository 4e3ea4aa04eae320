import type { Duplex } from 'node:stream'
import { TLSSocket } from 'node:tls'

/** What the server of a check shows in TLS, in PEM. */
export interface ServerKeys {
  cert: Buffer
  key: Buffer
}

/** Any certificate of a device will do: its authority is known to the platform alone. */
export const secureOptions = (keys: ServerKeys) => ({
  ...keys,
  requestCert: true,
  rejectUnauthorized: false,
})

export const showsCertificate = (socket: Duplex): boolean =>
  socket instanceof TLSSocket && socket.getPeerX509Certificate() !== undefined
