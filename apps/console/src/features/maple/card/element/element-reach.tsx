import type { SecureElement } from '@grove/contract/maple/fleet/element'
import { useQuery } from '@tanstack/react-query'
import { ConnectionBadge, NotOffered, OfferBadge } from '../../fleet/connection.labels.tsx'
import { connectionOf } from '../../fleet/device-connection.api.ts'

/** Whether sessions can reach an element through its device. */
export function ElementReach({ element: { cplc, device } }: { element: SecureElement }) {
  const { data } = useQuery({ ...connectionOf(device?.id ?? ''), enabled: device !== null })
  if (!data) return null
  const { state, offered } = data
  return (
    <>
      <br />
      {offered ? (
        <OfferBadge isOffered={offered.includes(cplc)} />
      ) : (
        <ConnectionBadge state={state} />
      )}
      {offered?.includes(cplc) === false && (
        <>
          <br />
          <NotOffered />
        </>
      )}
    </>
  )
}
