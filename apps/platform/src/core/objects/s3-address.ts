import { type Environment, readText } from '../environment.ts'
import { StartupError } from '../startup-error.ts'

/** A bucket, or a part of one, and the credentials for it. */
export interface S3Address {
  isSecure: boolean
  /** Includes its port, unless it is the default. */
  host: string
  bucket: string
  /** Prefixed to every name: empty, or ending with a slash. */
  prefix: string
  region: string
  accessKeyId: string
  secretAccessKey: string
  sessionToken: string | undefined
}

const form = 'OBJECTS_URL=s3://KEY:SECRET@HOST:PORT/BUCKET?region=REGION'

/**
 * Parses where objects are stored; undefined means the data folder. Key and secret may be left out of
 * the URL and are then taken from the variables that AWS's own tools read.
 */
export function readObjectsUrl(env: Environment): S3Address | undefined {
  // s3://key:secret@s3.eu-central-1.amazonaws.com/bucket/prefix?region=eu-central-1
  const text = readText(env, 'OBJECTS_URL')
  if (text === undefined) return undefined
  // No message repeats the value: it may contain the secret.
  if (!text.startsWith('s3://') || !URL.canParse(text))
    throw new StartupError(`OBJECTS_URL is not an S3 address: write it as ${form}.`)
  const url = new URL(text)
  const [bucket = '', ...rest] = decodeURIComponent(url.pathname).split('/').filter(Boolean)
  if (url.host === '' || !/^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/.test(bucket))
    throw new StartupError(`OBJECTS_URL lacks a host or a bucket: write it as ${form}.`)
  if (!rest.every((part) => /^[\w.-]+$/.test(part)))
    throw new StartupError('OBJECTS_URL: the path behind the bucket may hold a-z, 0-9, _, . and -.')
  const unknown = [...url.searchParams.keys()].find((name) => name !== 'region' && name !== 'tls')
  if (unknown !== undefined)
    throw new StartupError(`OBJECTS_URL has a setting "${unknown}"; it may have region and tls.`)
  const tls = url.searchParams.get('tls') ?? 'on'
  if (tls !== 'on' && tls !== 'off') throw new StartupError('OBJECTS_URL: tls must be on or off.')
  // The variables of AWS's tools; a token belongs to their key.
  const accessKeyId = decodeURIComponent(url.username) || readText(env, 'AWS_ACCESS_KEY_ID')
  const secretAccessKey = decodeURIComponent(url.password) || readText(env, 'AWS_SECRET_ACCESS_KEY')
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new StartupError(
      `OBJECTS_URL has no key and secret: write it as ${form}, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.`,
    )
  return {
    isSecure: tls === 'on',
    host: url.host,
    bucket,
    prefix: rest.map((part) => `${part}/`).join(''),
    region:
      url.searchParams.get('region') ??
      readText(env, 'AWS_REGION') ??
      readText(env, 'AWS_DEFAULT_REGION') ??
      'us-east-1',
    accessKeyId,
    secretAccessKey,
    sessionToken: url.username === '' ? readText(env, 'AWS_SESSION_TOKEN') : undefined,
  }
}
