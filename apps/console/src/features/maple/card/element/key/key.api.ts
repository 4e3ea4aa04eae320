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

/** While a rotation runs, someone is watching it. */
const liveMs = 1000
/** The platform polls the HSM no more often than this. */
const hsmMs = 10_000
/** Other people may decide meanwhile. */
const approvalLiveMs = 3000

/** The key sets of an element, its latest rotation, and why keys did not fit. */
export const keysQuery = (cplc: string) =>
  queryOptions({
    ...api.maple.query(path, { query: { cplc } }),
    // A session that failed meanwhile may have found out more.
    refetchOnMount: 'always' as const,
    refetchInterval: ({ state: { data } }) => {
      if (data?.rotation && isOpenRotation(data.rotation.step)) return liveMs
      return data?.hsmProblem ? hsmMs : false
    },
  })

/** The person’s own exports of an element’s keys, refetched while others may decide. */
export const keyExportsQuery = (cplc: string) =>
  queryOptions({
    ...api.maple.query(exportsPath, { query: { cplc } }),
    refetchInterval: ({ state: { data } }) =>
      data?.items.some(isOpenExport) ? approvalLiveMs : false,
  })

/** The person’s own token requests, refetched while others may decide. */
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

/** Keys for tokens, receipts and DAP, refetched while one is being put on the card. */
export const purposeKeysQuery = (cplc: string) =>
  queryOptions({
    ...api.maple.query(purposePath, { query: { cplc } }),
    refetchInterval: ({ state: { data } }) =>
      data?.items.some(({ state }) => isOpenPurposeKey(state)) ? liveMs : false,
  })

const isOpenExport = ({ approval, document }: KeyExport) =>
  approval.state === 'pending' || (approval.state === 'approved' && !document)

export const mastersQuery = () => api.maple.query(mastersPath, {})

/** What awaits other people's approval, with the decisions so far. */
export const approvalQuery = (id: string) =>
  queryOptions({
    ...api.maple.query('/api/maple/approvals', { query: { id } }),
    refetchInterval: approvalLiveMs,
  })

/** After a key change: the element shows where its keys are kept, and its state. */
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
