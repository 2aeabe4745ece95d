/* SPDX-License-Identifier: MIT */
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A small shop, for a small heap dump: customers, products, orders, pictures,
 * and a cache that nobody ever empties. Prints "ready" once all of it is there,
 * and ends with its standard input.
 */
public final class Demo {
    private static final int PRODUCTS = 500;
    private static final int CUSTOMERS = 2_000;
    private static final int REQUESTS = 20_000;

    private static final Map<String, Product> CATALOGUE = new TreeMap<>();
    private static final Map<Integer, Customer> CUSTOMER_BY_NUMBER = new HashMap<>();
    private static final PageCache CACHE = new PageCache();

    static final class Product {
        final String name;
        final long priceInCents;
        final byte[] picture;

        Product(int number) {
            name = "product " + number;
            priceInCents = 99 + 10L * number;
            picture = new byte[1_024 + number % 7 * 512];
        }
    }

    static final class Order {
        final Product product;
        final int count;

        Order(Product product, int count) {
            this.product = product;
            this.count = count;
        }
    }

    static final class Customer {
        final String name;
        final String street;
        final List<Order> orders = new ArrayList<>();
        double discount;

        Customer(int number) {
            name = "customer " + number;
            street = number % 90 + " Long Street";
            discount = number % 10 == 0 ? 0.05 : 0;
        }
    }

    /** Keeps every page that was ever shown. */
    static final class PageCache {
        private final Map<String, char[]> pages = new HashMap<>();

        void show(String address) {
            pages.computeIfAbsent(address, a -> ("<h1>" + a + "</h1>").toCharArray());
        }

        int size() {
            return pages.size();
        }
    }

    private static void fillShop() {
        for (int i = 0; i < PRODUCTS; i++) {
            Product product = new Product(i);
            CATALOGUE.put(product.name, product);
        }
        List<Product> products = new ArrayList<>(CATALOGUE.values());
        for (int i = 0; i < CUSTOMERS; i++) {
            Customer customer = new Customer(i);
            for (int j = 0; j < i % 6; j++) {
                customer.orders.add(new Order(products.get((i * 31 + j) % PRODUCTS), j + 1));
            }
            CUSTOMER_BY_NUMBER.put(i, customer);
        }
    }

    private static void serveRequests() {
        for (int i = 0; i < REQUESTS; i++) {
            CACHE.show("/product/" + i % PRODUCTS + "?session=" + i);
        }
    }

    public static void main(String[] arguments) throws java.io.IOException {
        fillShop();
        Thread worker = new Thread(Demo::serveRequests, "worker-1");
        worker.start();
        try {
            worker.join();
        } catch (InterruptedException e) {
            return;
        }
        System.out.println("ready " + CACHE.size());
        while (System.in.read() >= 0) {
            continue;
        }
    }
}
