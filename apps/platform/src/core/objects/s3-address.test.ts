import { expect, test } from 'vitest'
import { readObjectsUrl } from './s3-address.ts'

const read = (url: string, env: Record<string, string> = {}) =>
  readObjectsUrl({ OBJECTS_URL: url, ...env })

test('without an address objects are in the data folder', () => {
  expect(readObjectsUrl({})).toBeUndefined()
  expect(read(' ')).toBeUndefined()
})

test('an address names host, bucket, prefix, region and keys; https by default', () => {
  expect(read('s3://key:se%2Fcret@s3.example.com:9000/my-bucket/a/b?region=eu-1')).toEqual({
    isSecure: true,
    host: 's3.example.com:9000',
    bucket: 'my-bucket',
    prefix: 'a/b/',
    region: 'eu-1',
    accessKeyId: 'key',
    secretAccessKey: 'se/cret',
    sessionToken: undefined,
  })
  expect(read('s3://k:s@127.0.0.1:9000/my-bucket?tls=off')).toMatchObject({
    isSecure: false,
    prefix: '',
    region: 'us-east-1',
  })
})

test('keys and region come from the variables of AWS’s tools if the address has none', () => {
  const env = {
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'token',
    AWS_REGION: 'eu-2',
  }
  const known = { accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: 'token' }
  expect(read('s3://s3.example.com/my-bucket', env)).toMatchObject({ ...known, region: 'eu-2' })
  expect(read('s3://k:s@s3.example.com/my-bucket', env)?.sessionToken).toBeUndefined()
})

test.each([
  ['https://k:s@s3.example.com/my-bucket', 'is not an S3 address'],
  ['s3://k:s@s3.example.com', 'lacks a host or a bucket'],
  ['s3://k:s@s3.example.com/B', 'lacks a host or a bucket'],
  ['s3://k:s@s3.example.com/my-bucket/a b', 'the path behind the bucket'],
  ['s3://k:s@s3.example.com/my-bucket?ssl=off', 'a setting "ssl"'],
  ['s3://k:s@s3.example.com/my-bucket?tls=no', 'tls must be on or off'],
  ['s3://s3.example.com/my-bucket', 'has no key and secret'],
])('%s is refused, and the message contains no secret', (url, reason) => {
  expect(() => read(url)).toThrow(reason)
  expect(() => read(url)).not.toThrow('k:s')
})
