import { answer, at, jwksPath, page, withHeaders, type Row } from './row.ts'
import { derSignature, jwkOf, privateJwk } from './variation.ts'

export const keyFaults: Row[] = [
  {
    name: 'no keys',
    fault: { replies: answer(jwksPath, 404, {}) },
    finds: { keys: 'The keys were answered 404' },
    exit: 1,
  },
  {
    name: 'a web page for keys',
    fault: { replies: at(jwksPath, (reply) => ({ ...page, ...withHeaders(reply, page.headers) })) },
    finds: { keys: 'answered 200 with a web page instead of JSON' },
    exit: 1,
  },
  {
    name: 'an empty object for keys',
    fault: { keys: () => ({}) },
    finds: { keys: 'answered 200 with an empty object' },
    exit: 1,
  },
  {
    name: 'keys that redirect',
    fault: {
      replies: at(jwksPath, (reply) => ({
        status: 301,
        ...withHeaders(reply, { location: '/jwks.json' }),
      })),
    },
    finds: { redirect: 'which leads to http://127.0.0.1:' },
    exit: 1,
  },
  {
    name: 'a private key for all to read',
    fault: {
      keys: () => ({ keys: [jwkOf('other', 'old'), jwkOf('one'), { ...privateJwk(), kid: 'x' }] }),
    },
    finds: { private_key: 'everybody can sign tokens with it' },
    exit: 1,
  },
  {
    name: 'a key that is not published',
    fault: { keys: () => ({ keys: [jwkOf('one', 'two')] }) },
    finds: {
      kid_unknown: 'signed with the key "one" (kid), which is not published: there are "two"',
    },
    exit: 1,
  },
  {
    name: 'another key by the same name',
    fault: { keys: () => ({ keys: [jwkOf('other')] }) },
    finds: { bad_signature: 'The published key "one" does not verify the signature' },
    exit: 1,
  },
  {
    name: 'a key for another algorithm',
    fault: { keys: () => ({ keys: [{ ...jwkOf('one'), alg: 'ES384' }] }) },
    finds: { key_unfit: 'No published key can verify ES256: kid "one", kty "EC"' },
    exit: 1,
  },
  {
    name: 'a key for encryption',
    fault: { keys: () => ({ keys: [{ ...jwkOf('one'), use: 'enc' }] }) },
    finds: { key_unfit: 'use "enc"' },
    exit: 1,
  },
  {
    name: 'a broken key',
    fault: { keys: () => ({ keys: [{ ...jwkOf('one'), y: 'AAAA' }] }) },
    finds: { key_broken: 'A published key cannot be used' },
    exit: 1,
  },
  {
    name: 'signatures in DER',
    fault: { signature: derSignature },
    finds: { signature_form: 'it is in DER, as TLS has it' },
    exit: 1,
  },
  {
    name: 'keys cached for a week',
    fault: {
      replies: at(jwksPath, (reply) => withHeaders(reply, { 'cache-control': 'max-age=604800' })),
    },
    finds: { keys_cache: 'cached for 168 h: a new key is not seen that long' },
    exit: 0,
  },
]
