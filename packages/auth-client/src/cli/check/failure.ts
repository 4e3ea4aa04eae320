/** A call without an answer to judge, as a message; `isFinal` ends the whole check. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure'
  readonly code: string
  readonly right: string

  constructor(code: string, what: string, right: string) {
    super(what)
    this.code = code
    this.right = right
  }
}

/** The total time is over, or the caller has stopped the check. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
}

type Words = (url: URL) => [code: string, what: string, right: string]

const unknownName: Words = ({ hostname }) => [
  'dns',
  `The name ${hostname} is not known (DNS)`,
  'Correct the address, or add the name to DNS',
]
const refused: Words = ({ host }) => [
  'refused',
  `Nothing listens at ${host}: the connection was refused`,
  'Start the service, or correct the port',
]
const unreachable: Words = ({ host }) => [
  'network',
  `${host} cannot be reached`,
  'Look for a firewall or a wrong address between this machine and the service',
]
const closed: Words = ({ host }) => [
  'closed',
  `${host} closed the connection without an answer`,
  'Look into the log of the service, or of the proxy in front of it',
]
const selfSigned: Words = () => [
  'tls_untrusted',
  'The certificate is signed by itself or by an authority that browsers do not know',
  'Get a certificate of a public authority; for one of your own, set NODE_EXTRA_CA_CERTS to its file and install it in the browsers',
]
const incomplete: Words = () => [
  'tls_incomplete',
  'The chain of certificates is incomplete, or ends at an authority that is not known',
  'Serve the intermediate certificates too; for an authority of your own, set NODE_EXTRA_CA_CERTS to its file',
]
const noTls: Words = ({ host }) => [
  'tls_none',
  `${host} does not speak TLS`,
  'Use http:// for the address, or serve https there',
]
const noHttp: Words = ({ host }) => [
  'no_http',
  `${host} answers something other than HTTP/1.1`,
  'Correct the port; where the service speaks TLS, use https://',
]

const onlyHttp2: Words = ({ host }) => [
  'http2',
  `${host} speaks HTTP/2 alone, which browsers do and this check does not`,
  'Speak HTTP/1.1 beside it, at least for the check',
]

const wordsOf: Record<string, Words> = {
  ENOTFOUND: unknownName,
  EAI_AGAIN: unknownName,
  ECONNREFUSED: refused,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  ETIMEDOUT: unreachable,
  UND_ERR_CONNECT_TIMEOUT: unreachable,
  ECONNRESET: closed,
  EPIPE: closed,
  UND_ERR_SOCKET: closed,
  CERT_HAS_EXPIRED: () => ['tls_expired', 'The certificate has expired', 'Renew the certificate'],
  CERT_NOT_YET_VALID: () => [
    'tls_expired',
    'The certificate is not valid yet',
    'Set the clocks, or wait until it is valid',
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: ({ hostname }) => [
    'tls_name',
    `The certificate is for another name than ${hostname}`,
    'Use the name in the certificate, or get one for this name',
  ],
  DEPTH_ZERO_SELF_SIGNED_CERT: selfSigned,
  SELF_SIGNED_CERT_IN_CHAIN: selfSigned,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: incomplete,
  UNABLE_TO_GET_ISSUER_CERT: incomplete,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: incomplete,
  EPROTO: noTls,
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: onlyHttp2,
  ERR_SSL_WRONG_VERSION_NUMBER: noTls,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
}

/** The meaning of a rejected `fetch`. */
export function failureOf(error: unknown, url: URL): CallFailure {
  if (error instanceof CallFailure) return error
  const { message, cause } = error as Error
  const {
    code = '',
    message: inner = message,
    name,
  } = Object(cause) as { code?: string; message?: string; name?: string }
  // Node 24 sets no code.
  const words = wordsOf[code] ?? (name === 'HTTPParserError' ? noHttp : undefined)
  if (words) return new CallFailure(...words(url))
  // Fetch §2.9: like browsers, it refuses ports of other protocols.
  if (inner === 'bad port')
    return new CallFailure('port', `Browsers refuse port ${url.port}`, 'Serve at another port')
  return new CallFailure(
    'network',
    `There was no answer: ${inner}${code === '' ? '' : ` (${code})`}`,
    'Look into the log of the service, or of the proxy in front of it',
  )
}

export const lateFailure = (limit: number) =>
  new CallFailure(
    'timeout',
    `There was no answer within ${limit / 1000} seconds`,
    'Answer sooner: people wait for it',
  )
