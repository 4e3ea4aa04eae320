import { expect, test, vi } from 'vitest'
import { loadable } from './loadable.ts'

const Panel = () => null

test('is loaded once, however often it is requested', async () => {
  const load = vi.fn(() => Promise.resolve(Panel))
  const panel = loadable(load)
  expect(panel.state()).toEqual({ status: 'absent' })
  panel.prefetch()
  panel.prefetch()
  await vi.waitFor(() => expect(panel.state()).toEqual({ status: 'ready', Component: Panel }))
  panel.prefetch()
  expect(load).toHaveBeenCalledOnce()
})

test('says when its code failed to load, and can be retried', async () => {
  const load = vi.fn(() => Promise.resolve(Panel)).mockRejectedValueOnce(new Error('offline'))
  const panel = loadable(load)
  panel.prefetch()
  await vi.waitFor(() => expect(panel.state().status).toBe('failed'))
  panel.prefetch()
  await vi.waitFor(() => expect(panel.state().status).toBe('ready'))
})

test('tells its users of every change until they leave', async () => {
  const panel = loadable(() => Promise.resolve(Panel))
  const stays = vi.fn()
  const leaves = vi.fn()
  panel.subscribe(stays)
  panel.subscribe(leaves)()
  panel.prefetch()
  await vi.waitFor(() => expect(stays).toHaveBeenCalledTimes(2))
  expect(leaves).not.toHaveBeenCalled()
})
