import { Trans } from '@lingui/react/macro'

/** The consequences of moving an element's keys into an HSM, or out of it. */
export const CustodyConsequences = ({ isIntoHsm }: { isIntoHsm: boolean }) =>
  isIntoHsm ? (
    <>
      <li>
        <Trans>The chip gets new keys, which are used inside the HSM and cannot be exported.</Trans>
      </li>
      <li>
        <Trans>Without the HSM, this chip cannot be managed.</Trans>
      </li>
    </>
  ) : (
    <>
      <li>
        <Trans>The chip gets new keys, which are kept in the software vault.</Trans>
      </li>
      <li>
        <Trans>Keys that are in the HSM never leave it: they are replaced, not copied.</Trans>
      </li>
    </>
  )
