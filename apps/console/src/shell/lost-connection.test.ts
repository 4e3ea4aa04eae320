import { i18n } from '@lingui/core'
import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ApiProblem, NetworkProblem } from '../api/problem.ts'
import { dismissAll, notify, readNotifications, watchNotifications } from '../ui/toast/notify.ts'
import { watchConnection } from './lost-connection.ts'

const lost = 'Connection lost, retrying.'
const said = () => readNotifications().map(({ text }) => text)
const later = (ms: number) => vi.advanceTimersByTimeAsync(ms)

let client: QueryClient
let stop: () => void
let isRenewing: boolean
beforeEach(() => {
  vi.useFakeTimers()
  i18n.loadAndActivate({ locale: 'en-US', messages: {} })
  client = new QueryClient()
  isRenewing = false
  stop = watchConnection(client, () => isRenewing)
})
afterEach(() => {
  stop()
  client.clear()
  dismissAll()
  vi.useRealTimers()
})

/** A view whose first answer has arrived; outside a browser nothing is refetched automatically. */
async function view(read: () => Promise<string>, refetchInterval: number | false = 1000) {
  client.setQueryData(['view'], 'what it was')
  const observer = new QueryObserver(client, {
    queryKey: ['view'],
    queryFn: read,
    retry: 1,
    retryDelay: 100,
    refetchInterval,
  })
  const close = observer.subscribe(() => {})
  const readAgain = async () => {
    void observer.refetch()
    await later(1000)
  }
  return { close, readAgain }
}

test('a followed view says that its service is not responding, until it is', async () => {
  let isDead = true
  const read = () => (isDead ? Promise.reject(new NetworkProblem('refused')) : Promise.resolve(''))
  const { readAgain } = await view(read)
  await later(50)
  expect(said()).toEqual([])
  await later(100)
  expect(said()).toEqual([lost])
  await readAgain()
  expect(said()).toEqual([lost])
  isDead = false
  await readAgain()
  expect(said()).toEqual([])
})

test('it is said once, alongside other notices, and cannot be closed', async () => {
  await view(() => Promise.reject(new ApiProblem({}, 503)))
  await later(2000)
  for (const text of ['one', 'two', 'three', 'four']) notify({ text })
  expect(said()).toEqual([lost, 'two', 'three', 'four'])
  expect(readNotifications()[0]).toMatchObject({ isLasting: true })
})

test('what is refetched every few minutes is retried within seconds', async () => {
  let isDead = true
  const read = () => (isDead ? Promise.reject(new NetworkProblem('refused')) : Promise.resolve(''))
  await view(read, 300_000)
  await later(5000)
  expect(said()).toEqual([lost])
  isDead = false
  await later(5000)
  expect(said()).toEqual([])
})

test('the notice leaves with the view', async () => {
  const { close } = await view(() => Promise.reject(new NetworkProblem('refused')))
  await later(2000)
  expect(said()).toEqual([lost])
  close()
  await later(0)
  expect(said()).toEqual([])
})

test('a failed attempt whose retry succeeds shows nothing', async () => {
  const read = vi.fn().mockRejectedValueOnce(new NetworkProblem('refused')).mockResolvedValue('')
  await view(read)
  const heard = vi.fn()
  const unsubscribe = watchNotifications(heard)
  await later(1000)
  unsubscribe()
  expect(read).toHaveBeenCalledTimes(2)
  expect(heard).not.toHaveBeenCalled()
})

test('a call without any answer counts as lost, until its answer comes', async () => {
  let answer: (text: string) => void = () => {}
  await view(() => new Promise((resolve) => (answer = resolve)))
  await later(7000)
  expect(said()).toEqual([])
  await later(2000)
  expect(said()).toEqual([lost])
  answer('')
  await later(100)
  expect(said()).toEqual([])
})

test('a call that waits for the session to be renewed does not count as lost', async () => {
  isRenewing = true
  await view(() => new Promise(() => {}))
  await later(12_000)
  expect(said()).toEqual([])
  isRenewing = false
  await later(8000)
  expect(said()).toEqual([lost])
})

test('a refusal shows its own text', async () => {
  await view(() => Promise.reject(new ApiProblem({ code: 'other', detail: 'Not now.' }, 409)))
  await later(2000)
  expect(said()).toEqual(['Not now.'])
})

test('a view that is not followed reports the problem in its own place', async () => {
  const { readAgain } = await view(() => Promise.reject(new NetworkProblem('refused')), false)
  await readAgain()
  expect(said()).toEqual([])
})

test('the notice changes its language with the page', async () => {
  await view(() => Promise.reject(new NetworkProblem('refused')))
  await later(2000)
  const translate = vi.spyOn(i18n, '_').mockReturnValue('Связь потеряна, пробуем снова.')
  i18n.loadAndActivate({ locale: 'ru-RU', messages: {} })
  expect(said()).toEqual(['Связь потеряна, пробуем снова.'])
  translate.mockRestore()
})
