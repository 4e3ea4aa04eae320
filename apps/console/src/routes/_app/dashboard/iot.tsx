import { msg } from '@lingui/core/macro'
import { createFileRoute, redirect } from '@tanstack/react-router'

/** The address that the specification gives to the products of devices. */
export const Route = createFileRoute('/_app/dashboard/iot')({
  staticData: { title: msg`IoT Products` },
  beforeLoad: () => {
    throw redirect({ to: '/dashboard/maple/products', replace: true })
  },
})
