import type { Product } from '@grove/contract/cedar/product'
import { useLingui } from '@lingui/react/macro'
import { useQuery } from '@tanstack/react-query'
import { maxTargetLength } from '@grove/contract/cedar/link.rules'
import { api } from '../../../session/api.ts'
import { FormDialog } from '../../../ui/dialog/form-dialog.tsx'
import { Field } from '../../../ui/field/field.tsx'
import { SelectField } from '../../../ui/field/select-field.tsx'
import { codeField } from '../../../ui/form/fields.tsx'
import { useForm } from '../../../ui/form/use-form.ts'
import { linkOrigin } from '../parts/link-address.ts'
import { refreshLinks } from './link.api.ts'

interface NewLinkProps {
  product: Product
  onClose: () => void
}

/** A form for a link to one version, or to a place in the app. */
export function NewLink({ product, onClose }: NewLinkProps) {
  const { t } = useLingui()
  const { productId, liveVersion, newestVersion } = product
  const { data } = useQuery(
    api.cedar.query('/api/developer/productVersion', { query: { productId, limit: 100 } }),
  )
  // The package of any other version may still change.
  const versions = (data?.items ?? []).filter(
    ({ state }) => state === 'live' || state === 'previous',
  )
  const anyVersion = (liveVersion ?? newestVersion)?.productVersionId ?? ''
  const most = maxTargetLength - 1
  const form = useForm({
    values: { pinned: '', place: '' },
    check: ({ place }) =>
      place.length > most ? { place: t`Use at most ${most} characters.` } : {},
    fieldOf: (path) => (path === 'url' ? 'place' : path),
    submit: ({ pinned, place }) =>
      api.cedar.post('/api/cedar/apps/miniapps/share', {
        body: {
          url: linkOrigin() + place.trim().replace(/^\/*/, '/'),
          version_id: pinned || anyVersion,
          ...(pinned && { pinned: true }),
        },
      }),
    onSaved: () => {
      void refreshLinks()
      onClose()
    },
    isOnce: true,
  })
  return (
    <FormDialog
      title={t`New link`}
      form={form}
      submitLabel={t`Create`}
      draft="new-link"
      onClose={onClose}
    >
      <SelectField
        label={t({ message: 'Version', context: 'that a link opens' })}
        value={form.values.pinned}
        words={{
          '': t`Whichever is live`,
          ...Object.fromEntries(
            versions.map(({ productVersionId, version }) => [
              productVersionId,
              t`Always ${version}`,
            ]),
          ),
        }}
        onChange={(pinned) => form.set({ pinned })}
      />
      <Field
        {...codeField}
        {...form.input('place')}
        label={t`Place in the app`}
        hint={t`Such as /harbours/brest?day=2. If empty, the first page opens.`}
      />
    </FormDialog>
  )
}
