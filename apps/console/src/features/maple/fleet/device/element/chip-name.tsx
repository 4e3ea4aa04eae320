import { useLingui } from '@lingui/react/macro'
import { fabricatorName, typeName } from '@grove/secure-element/cplc'

/** The chip's fabricator and type, by name if known, else in hex. */
export function ChipName({ cplc }: { cplc: string }) {
  const { t } = useLingui()
  const fabricator = fabricatorName(cplc)
  const code = cplc.slice(0, 4)
  const type = cplc.slice(4, 8)
  return (
    <strong>
      {fabricator ?? t`Fabricator ${code}`} {typeName(cplc) ?? type}
    </strong>
  )
}
