import { Trans } from '@lingui/react/macro'
import { Link } from '../../../../ui/link/link.tsx'
import { SampleHint } from './sample-hint.tsx'

const texts = {
  sample: SampleHint,
  firstStep: () => (
    <Trans>
      Create a product and a claim code for it, and start a device with the code: it registers
      itself.
    </Trans>
  ),
  link: () => (
    <Link to="/dashboard/maple/products" className="button primary" prefetch="none">
      <Trans>Go to products</Trans>
    </Link>
  ),
}

/** The text of an empty list. */
export function ListText({ of }: { of: keyof typeof texts }) {
  const Text = texts[of]
  return <Text />
}
