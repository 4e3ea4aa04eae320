import { expect, test } from 'vitest'
import { channelBody } from './channel-body.ts'

test('a channel opens with the credentials, or the keys of the card, that somebody chose', () => {
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

test('who may not see the credentials opens with what was chosen for the element', () => {
  expect(channelBody({ level: '03', keyVersion: undefined, credential: undefined })).toEqual({
    level: '03',
  })
})
