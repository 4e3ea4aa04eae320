import { expect, test } from 'vitest'
import { stepKinds } from '@grove/contract/maple/program/template-step.rules'
import { actionOf, changedLines, inputOf, movedStep, newAction } from './step-input.ts'

test('a step is unchanged after a form has shown it', () => {
  for (const kind of stepKinds) {
    const action = newAction(kind)
    expect(actionOf(kind, inputOf(action))).toEqual(action)
  }
  const action = {
    kind: 'MplInstall',
    values: {
      purpose: 'install',
      loadFileAid: '{{file}}',
      privileges: ['securityDomain'],
      isSelectable: false,
    },
  } as const
  expect(actionOf('MplInstall', inputOf(action))).toEqual(action)
})

test('fields that are irrelevant to the choices are left out', () => {
  const input = {
    ...inputOf({ kind: 'MplDelete', values: { target: 'key', aid: 'A000' } }),
    keyId: '1',
  }
  expect(actionOf('MplDelete', input)).toEqual({
    kind: 'MplDelete',
    values: { target: 'key', keyId: '1' },
  })
})

test('a step moves within the list', () => {
  expect(movedStep(['a', 'b', 'c'], 0, 2)).toEqual(['b', 'c', 'a'])
  expect(movedStep(['a', 'b', 'c'], 2, 1)).toEqual(['a', 'c', 'b'])
  expect(movedStep(['a', 'b'], 0, -1)).toEqual(['a', 'b'])
  expect(movedStep(['a', 'b'], 1, 2)).toEqual(['a', 'b'])
})

test('a diff shows added and removed lines in place', () => {
  const text = (before: string, after: string) =>
    changedLines(before.split(''), after.split(''))
      .map(({ mark, text: line }) => mark + line)
      .join('')
  expect(text('abc', 'abc')).toBe(' a b c')
  expect(text('abc', 'axc')).toBe(' a−b+x c')
  expect(text('', 'ab')).toBe('+a+b')
  expect(text('ab', '')).toBe('−a−b')
})
