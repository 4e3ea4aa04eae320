import type { KeyExport } from '@grove/contract/maple/card/key'
import { isOpenRotation } from '@grove/contract/maple/card/key.rules'
import { isOpenPurposeKey } from '@grove/contract/maple/card/purpose-key.rules'
import { queryOptions } from '@tanstack/react-query'
import { invalidate } from '../../../../../api/query-client.ts'
import { api } from '../../../../../session/api.ts'
import { elements } from '../element.api.ts'

const path = '/api/maple/se/keys'
const purposePath = '/api/maple/se/keys/purpose'
const tokensPath = '/api/maple/se/tokens'
const exportsPath = '/api/maple/se/keys/export'
const mastersPath = '/api/maple/se/masters'

/** While a rotation runs, somebody watches it. */
const liveMs = 1000
/** The platform asks the HSM no more often than this. */
const hsmMs = 10_000
/** Other people decide meanwhile. */
const approvalLiveMs = 3000

/** The key sets of an element, its latest rotation, and why keys did not fit. */
export const keysQuery = (cplc: string) =>
  queryOptions({
    ...api.maple.query(path, { query: { cplc } }),
    // A session that failed meanwhile found out more.
    refetchOnMount: 'always' as const,
    refetchInterval: ({ state: { data } }) => {
      if (data?.rotation && isOpenRotation(data.rotation.step)) return liveMs
      return data?.hsmProblem ? hsmMs : false
    },
  })

/** The person’s own exports of an element’s keys, read again while others may decide. */
export const keyExportsQuery = (cplc: string) =>
  queryOptions({
    ...api.maple.query(exportsPath, { query: { cplc } }),
    refetchInterval: ({ state: { data } }) =>
      data?.items.some(isOpenExport) ? approvalLiveMs : false,
  })

/** The person’s own requests for tokens, read again while others may decide. */
export const tokensQuery = (cplc: string) =>
  queryOptions({
    ...api.maple.query(tokensPath, { query: { cplc } }),
    refetchInterval: ({ state: { data } }) =>
      data?.items.some(
        ({ approval, tokens }) =>
          approval.state === 'pending' || (approval.state === 'approved' && !tokens),
      )
        ? approvalLiveMs
        : false,
  })

/** Keys for tokens, receipts and DAP, read again while one is on its way. */
export const purposeKeysQuery = (cplc: string) =>
  queryOptions({
    ...api.maple.query(purposePath, { query: { cplc } }),
    refetchInterval: ({ state: { data } }) =>
      data?.items.some(({ state }) => isOpenPurposeKey(state)) ? liveMs : false,
  })

const isOpenExport = ({ approval, document }: KeyExport) =>
  approval.state === 'pending' || (approval.state === 'approved' && !document)

export const mastersQuery = () => api.maple.query(mastersPath, {})

/** What waits for other people, with what they have decided so far. */
export const approvalQuery = (id: string) =>
  queryOptions({
    ...api.maple.query('/api/maple/approvals', { query: { id } }),
    refetchInterval: approvalLiveMs,
  })

/** After a change of keys: the element says where they are kept, and its state. */
export const refreshKeys = () =>
  Promise.all([
    invalidate('maple', path),
    invalidate('maple', exportsPath),
    invalidate('maple', purposePath),
    invalidate('maple', tokensPath),
    invalidate('maple', mastersPath),
    invalidate('maple', '/api/maple/approvals'),
    elements.refresh(),
  ])
