/* SPDX-License-Identifier: MIT */
/*
 * Again.java - a class loader that loads one class anew, each time such a
 * loader is made; all others it leaves to the one that loaded it.
 */
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;

class Again extends ClassLoader {
	private final String anew;

	Again(String anew) {
		this.anew = anew;
	}

	protected Class<?> loadClass(String name, boolean resolve)
			throws ClassNotFoundException {
		if (!name.equals(anew))
			return super.loadClass(name, resolve);
		try (InputStream in = Again.class.getResourceAsStream(
				name + ".class")) {
			ByteArrayOutputStream out = new ByteArrayOutputStream();
			for (int b; (b = in.read()) >= 0;)
				out.write(b);
			return defineClass(name, out.toByteArray(), 0,
					out.size());
		} catch (IOException e) {
			throw new ClassNotFoundException(name, e);
		}
	}
}
