import type { ProductVersion } from '@grove/contract/cedar/product-version'
import { useLingui } from '@lingui/react/macro'
import { SelectField } from '../../../../ui/field/select-field.tsx'

interface VersionChoiceProps {
  label: string
  versions: readonly ProductVersion[]
  value: string
  onChange: (versionId: string) => void
}

/** One of the versions of an app, the live one marked. */
export function VersionChoice({ label, versions, value, onChange }: VersionChoiceProps) {
  const { t } = useLingui()
  const words = Object.fromEntries(
    versions.map(({ productVersionId, version, enabled }) => [
      productVersionId,
      enabled ? t`${version} (live)` : version,
    ]),
  )
  return <SelectField label={label} value={value} words={words} onChange={onChange} />
}
