import { sessionCommandKinds } from '@grove/secure-element/host/command-kinds'
import { toHex } from '@grove/secure-element/bytes'
import { expect, test } from 'vitest'
import { fieldsOf, firstInput, previewOf, shownFields, valuesOf } from './command-input.ts'

const hexOf = (preview: ReturnType<typeof previewOf>) =>
  preview.kind === 'bytes' ? preview.commands.map(toHex) : preview

test('the initial input of every kind is valid or names the missing field', () => {
  expect(sessionCommandKinds).toHaveLength(10)
  for (const kind of sessionCommandKinds) {
    const preview = previewOf(kind, firstInput(kind), 255)
    expect(['bytes', 'field', 'wrong']).toContain(preview.kind)
    expect(shownFields(kind, firstInput(kind)).every((name) => name in fieldsOf(kind))).toBe(true)
  }
})

test('the bytes follow GlobalPlatform while typing', () => {
  const status = firstInput('MplGetStatus')
  expect(hexOf(previewOf('MplGetStatus', status, 255))).toEqual(['80F28002024F0000'])
  const chosen = { ...status, subset: 'applications', aid: 'a0 00' }
  expect(hexOf(previewOf('MplGetStatus', chosen, 255))).toEqual(['80F24002044F02A00000'])
  // GlobalPlatformPro installs its empty applet with these bytes.
  const install = {
    ...firstInput('MplInstall'),
    loadFileAid: '010203040 5'.replace(' ', ''),
    moduleAid: '0102030405060708',
    instanceAid: '0102030405060708',
  }
  expect(hexOf(previewOf('MplInstall', install, 255))).toEqual([
    '80E60C001E050102030405080102030405060708080102030405060708010002C9000000',
  ])
})

test('a command is not sent without its required fields', () => {
  const missing = { kind: 'field', code: 'required' }
  const manage = firstInput('ManageChannel')
  expect(hexOf(previewOf('ManageChannel', manage, 255))).toEqual(['0070000001'])
  const close = { ...manage, action: 'close' }
  expect(previewOf('ManageChannel', close, 255)).toEqual({ ...missing, field: 'number' })
  expect(hexOf(previewOf('ManageChannel', { ...close, number: '2' }, 255))).toEqual(['00708002'])
  const install = firstInput('MplInstall')
  expect(previewOf('MplInstall', install, 255)).toEqual({ ...missing, field: 'loadFileAid' })
  const lock = { ...firstInput('MplSetStatus'), target: 'lock', aid: ' ' }
  expect(previewOf('MplSetStatus', lock, 255)).toEqual({ ...missing, field: 'aid' })
  // Without an AID, SELECT and GET STATUS have a meaning of their own.
  expect(previewOf('MplSelect', firstInput('MplSelect'), 255).kind).toBe('bytes')
})

test('only visible fields are sent', () => {
  const input = {
    ...firstInput('MplDelete'),
    aid: '0102030405',
    target: 'key',
    keyVersion: '0x30',
    keyId: ' ',
  }
  expect(shownFields('MplDelete', input)).toEqual(['target', 'keyId', 'keyVersion'])
  expect(valuesOf('MplDelete', input)).toEqual({ target: 'key', keyVersion: 48 })
})

test('an invalid value is reported with its field', () => {
  const select = { ...firstInput('MplSelect'), aid: '01' }
  expect(previewOf('MplSelect', select, 255)).toEqual({
    kind: 'field',
    field: 'aid',
    code: 'notAid',
  })
  const key = { ...firstInput('MplDelete'), target: 'key', keyVersion: 'ten' }
  expect(previewOf('MplDelete', key, 255)).toMatchObject({ field: 'keyVersion', code: 'wrongType' })
})

test('data too long for one command is sent in several', () => {
  const input = { ...firstInput('MplStoreData'), data: 'AB'.repeat(300) }
  const preview = previewOf('MplStoreData', input, 223)
  expect(preview.kind === 'bytes' && preview.commands).toHaveLength(2)
})
