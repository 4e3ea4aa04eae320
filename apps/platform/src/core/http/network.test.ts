import { expect, test } from 'vitest'
import { networkOf, networksOf, subscriberOf } from './network.ts'

test.each([
  ['192.0.2.77', '192.0.2.0/24'],
  ['::ffff:192.0.2.77', '192.0.2.0/24'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002::1', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['192.0.2.77:50001', '192.0.2.0/24'],
  ['[2001:db8:1:2::1]:50001', '2001:db8:1:2::/64'],
  ['[::ffff:192.0.2.77]', '192.0.2.0/24'],
])('the network of %s is %s', (ip, network) => {
  expect(networkOf(ip)).toBe(network)
})

test.each([
  ['192.0.2.77', ['192.0.2.0/24']],
  ['2001:db8:1:2ab::5', ['2001:db8:1:2ab::/64', '2001:db8:1:200::/56', '2001:db8:1::/48']],
])('the networks around %s are %j', (ip, networks) => {
  expect(networksOf(ip)).toEqual(networks)
})

test.each([
  ['192.0.2.77', '192.0.2.77'],
  ['::ffff:192.0.2.77', '192.0.2.77'],
  ['::FFFF:192.0.2.77', '192.0.2.77'],
  ['192.0.2.77:50001', '192.0.2.77'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::1]:50001', '2001:db8:1:2::/64'],
])('connection limits count %s as %s', (ip, subscriber) => {
  expect(subscriberOf(ip)).toBe(subscriber)
})
