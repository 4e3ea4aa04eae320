import { expect, test } from 'vitest'
import { channelBody } from './channel-body.ts'

test('a channel opens with the chosen credentials, or with the keys of the card', () => {
  const level = '03'
  expect(channelBody({ level, keyVersion: 48, credential: 'some id' })).toEqual({
    level: '33',
    credential: 'some id',
  })
  expect(channelBody({ level, keyVersion: 48, credential: '' })).toEqual({
    level,
    credential: null,
    keyVersion: 48,
  })
})

test('anyone who may not see the credentials opens with the element’s default', () => {
  expect(channelBody({ level: '03', keyVersion: undefined, credential: undefined })).toEqual({
    level: '03',
  })
})
