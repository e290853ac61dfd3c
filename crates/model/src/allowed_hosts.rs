//! The hosts to which the server may send what an admin has configured through the API. The rule: only an address of the public Internet, over https, unless
//! the operator has named the host or its network; so nobody reaches the operator's own network through the server.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use url::{Host, Url};

/// The hosts that the operator has allowed in addition to the public Internet.
#[derive(Debug, Clone, Default)]
pub struct AllowedHosts(pub Vec<AllowedHost>);

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllowedHost {
    /// A host name in lower case, without the final dot.
    Name(String),
    /// A network: its address and the length of its prefix in bits.
    Network(IpAddr, u8),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("write a host such as receiver.internal, an address such as 127.0.0.1, or a network such as 10.0.0.0/8")]
pub struct BadAllowedHost;

impl FromStr for AllowedHost {
    type Err = BadAllowedHost;

    fn from_str(text: &str) -> Result<Self, BadAllowedHost> {
        let (address, bits) = text.split_once('/').map_or((text, None), |(address, bits)| (address, Some(bits)));
        match (address.parse::<IpAddr>(), bits) {
            (Ok(ip), bits) => {
                let width = if ip.is_ipv4() { 32 } else { 128 };
                let bits = bits.map_or(Ok(width), str::parse).map_err(|_| BadAllowedHost)?;
                match (ip.to_canonical(), bits) {
                    (_, bits) if bits > width => Err(BadAllowedHost),
                    // An IPv4 address that is mapped to IPv6. Connections to either form are compared with the IPv4 address.
                    (mapped @ IpAddr::V4(_), 96..) if ip.is_ipv6() => Ok(Self::Network(mapped, bits - 96)),
                    _ => Ok(Self::Network(ip, bits)),
                }
            }
            (Err(_), None) => match Host::parse(text) {
                Ok(Host::Domain(name)) => match name.trim_end_matches('.') {
                    "" => Err(BadAllowedHost),
                    name => Ok(Self::Name(name.to_owned())),
                },
                _ => Err(BadAllowedHost),
            },
            (Err(_), Some(_)) => Err(BadAllowedHost),
        }
    }
}

/// Why nothing is sent to an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAllowed {
    #[error("only https is allowed, except for a host that the setting webhooks.allow names")]
    Http,
    #[error("the address is not one of the public Internet, and the setting webhooks.allow does not name it")]
    Address,
}

impl AllowedHosts {
    /// Checks the text of the address only: a host name can still have addresses that are not [allowed](Self::allows).
    ///
    /// # Errors
    /// If no request may be sent to the address.
    pub fn check(&self, url: &Url) -> Result<(), NotAllowed> {
        let ip = match url.host() {
            Some(Host::Ipv4(ip)) => Some(IpAddr::V4(ip)),
            Some(Host::Ipv6(ip)) => Some(IpAddr::V6(ip)),
            Some(Host::Domain(_)) | None => None,
        };
        let is_named = match ip {
            Some(ip) => self.has(ip),
            None => url.host_str().is_some_and(|name| self.names(name)),
        };
        match ip {
            _ if is_named => Ok(()),
            _ if url.scheme() != "https" => Err(NotAllowed::Http),
            Some(ip) if !is_public(ip) => Err(NotAllowed::Address),
            _ => Ok(()),
        }
    }

    /// Whether the operator has named this host.
    pub fn names(&self, name: &str) -> bool {
        let name = name.trim_end_matches('.');
        self.0.iter().any(|allowed| matches!(allowed, AllowedHost::Name(of) if of.eq_ignore_ascii_case(name)))
    }

    /// Whether a connection may be made to an address of a host that is not named.
    pub fn allows(&self, ip: IpAddr) -> bool {
        is_public(ip) || self.has(ip)
    }

    fn has(&self, ip: IpAddr) -> bool {
        let contains = |of: &AllowedHost| match (of, ip.to_canonical()) {
            (AllowedHost::Network(IpAddr::V4(of), bits), IpAddr::V4(ip)) => {
                (of.to_bits() ^ ip.to_bits()).leading_zeros() >= u32::from(*bits)
            }
            (AllowedHost::Network(IpAddr::V6(of), bits), IpAddr::V6(ip)) => {
                (of.to_bits() ^ ip.to_bits()).leading_zeros() >= u32::from(*bits)
            }
            _ => false,
        };
        self.0.iter().any(contains)
    }
}

/// Whether it is none of the special-purpose addresses of RFC 6890 and its updates.
fn is_public(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(ip) => is_public_v4(ip),
        IpAddr::V6(ip) => is_public_v6(ip),
    }
}

fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    let is_special = ip.is_private()
        || ip.is_loopback()
        || ip.is_link_local()
        || ip.is_documentation()
        // "This network", shared address space of providers, protocol assignments, benchmarking, multicast and reserved addresses.
        || a == 0
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (b == 18 || b == 19))
        || a >= 224;
    !is_special
}

/// Accepts only global unicast, without addresses that contain an IPv4 address, and without documentation.
fn is_public_v6(ip: Ipv6Addr) -> bool {
    let [a, b, ..] = ip.segments();
    let is_special = (a == 0x2001 && (b < 0x0200 || b == 0x0db8)) || a == 0x2002 || (a == 0x3fff && b < 0x1000);
    a & 0xe000 == 0x2000 && !is_special
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(allowed: &[&str], url: &str) -> Result<(), NotAllowed> {
        let allowed = allowed.iter().map(|text| text.parse().expect("a host")).collect();
        AllowedHosts(allowed).check(&url.parse().expect("an address"))
    }

    #[test]
    fn only_public_addresses_are_allowed_whatever_their_form() {
        for url in ["https://example.com/a", "https://93.184.216.34/", "https://[2606:2800:220:1::1]:8443/"] {
            assert_eq!(check(&[], url), Ok(()), "{url}");
        }
        for host in [
            "127.0.0.1",
            "127.1",
            "0x7f.1",
            "2130706433",
            "0177.0.0.1",
            "0.0.0.0",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "198.18.0.1",
            "192.0.2.1",
            "[::1]",
            "[::]",
            "[::ffff:127.0.0.1]",
            "[::ffff:8.8.8.8]",
            "[::7f00:1]",
            "[fe80::1]",
            "[fc00::1]",
            "[ff02::1]",
            "[64:ff9b::7f00:1]",
            "[2002:7f00:1::]",
            "[2001:db8::1]",
            "[2001::1]",
        ] {
            assert_eq!(check(&[], &format!("https://{host}/")), Err(NotAllowed::Address), "{host}");
        }
        assert_eq!(check(&[], "http://example.com/"), Err(NotAllowed::Http));
    }

    #[test]
    fn what_the_operator_names_is_allowed_also_without_tls() {
        let allowed = ["Receiver.internal", "10.0.0.0/8", "::1", "fd00::/8"];
        for url in [
            "http://receiver.internal/",
            "http://RECEIVER.internal./",
            "http://10.9.8.7:1/",
            "http://[::1]/",
            "https://[fd12::1]/",
            "http://[::ffff:10.0.0.1]/",
        ] {
            assert_eq!(check(&allowed, url), Ok(()), "{url}");
        }
        assert_eq!(check(&allowed, "http://other.internal/"), Err(NotAllowed::Http));
        for (allowed, url) in [
            ("localhost.", "http://localhost/"),
            ("::ffff:10.0.0.0/104", "http://10.9.8.7/"),
            ("::ffff:10.0.0.1", "http://[::ffff:10.0.0.1]/"),
        ] {
            assert_eq!(check(&[allowed], url), Ok(()), "{url}");
        }
        assert_eq!(check(&["::ffff:10.0.0.0/104"], "http://11.0.0.1/"), Err(NotAllowed::Http));
        assert_eq!(check(&allowed, "https://11.0.0.1/"), Ok(()));
        assert_eq!(check(&allowed, "https://192.168.0.1/"), Err(NotAllowed::Address));
        for text in ["", ".", "a b", "10.0.0.0/33", "::1/129", "10.0.0.0/x", "name/8", "http://a"] {
            assert_eq!(text.parse::<AllowedHost>(), Err(BadAllowedHost), "{text}");
        }
    }
}
